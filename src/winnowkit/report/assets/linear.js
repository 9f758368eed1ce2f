// Linear learners: the same decisions as in Python, from the same numbers.
const model = content.linear ? unpacked(content.linear) : null;
const placeOf = content.linear ? places() : null;

function unpacked(packed) {
  const found = { ...packed };
  for (const [name, value] of Object.entries(packed)) {
    if (!value || typeof value.data !== "string") continue;
    const bytes = Uint8Array.from(atob(value.data), (c) => c.charCodeAt(0));
    found[name] = value.bits === 32 ? new Float32Array(bytes.buffer) : new Float64Array(bytes.buffer);
  }
  return found;
}

function places() {
  if (content.names) return new Map(content.names.map((name, place) => [name, place]));
  return new Map(content.columns.map(({ name, place }) => [name, place]));
}

function placeOfName(name) {
  if (placeOf.has(name)) return placeOf.get(name);
  if (content.names) return -1;
  const nameless = /^x(\d+)$/.exec(name);
  return nameless ? Number(nameless[1]) : -1;
}

// The attributes of a row that are not 0, as [place, value], by rising place.
function attributesOf(row) {
  const found = [];
  if (model.encode) {
    let first = 0;
    content.columns.forEach(({ name }, column) => {
      const cells = model.encode[column];
      const code = cells.findIndex((tests) => tests.every(([operator, value]) => holds([name, operator, value], row)));
      if (code >= 0) found.push([first + code, 1]);
      first += cells.length;
    });
    return found;
  }
  for (const [name, value] of Object.entries(row)) {
    const place = placeOfName(name), number = asNumber(value);
    if (place >= 0 && number) found.push([place, number]);
  }
  return found.sort((a, b) => a[0] - b[0]);
}

// Values divided by the largest of their column, and by the length of the row; the bias comes last.
function scaled(attributes) {
  const x = attributes.map(([place, value]) => {
    const high = Math.max(model.largest[place], Math.abs(value));
    return value === high ? 1 : value / high;
  });
  const squares = x.reduce((sum, v) => sum + v * v, 0), scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  const found = attributes.map(([place], i) => ({ place: place + 1, x: x[i], z: scale * x[i] }));
  found.push({ place: 0, x: 1, z: 1, bias: true });
  return found;
}

const coinWeight = (total, bets, won, largest) => (total * (largest + won)) / (largest * (bets + largest));
const largestOf = (values) => values.reduce((best, value, k) => (value > values[best] ? k : best), 0);
const labelOf = (values) => (values.length === 1 ? (values[0] > 0 ? 1 : 0) : largestOf(values));
const logistic = (value) => (value >= 0 ? 1 / (1 + Math.exp(-value)) : Math.exp(value) / (1 + Math.exp(value)));

function softmax(values) {
  const high = Math.max(...values), powers = values.map((value) => Math.exp(value - high));
  const total = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => value / total);
}

const shares = (logs) => (logs.length === 1 ? [1 - logistic(logs[0]), logistic(logs[0])] : softmax(logs));

function linearDecisions(attributes) {
  const n = model.coef.length / model.learners;
  return Array.from({ length: model.learners }, (_, k) => {
    let sum = 0;
    for (const [place, value] of attributes) {
      const x = model.binarize === null ? value : value > model.binarize ? 1 : 0;
      sum += model.coef[k * n + place] * x;
    }
    const score = (model.offset[k] + sum) / model.total[k] - model.theta[k];
    if (Math.abs(score) <= 1e-12 * Math.abs(model.theta[k])) return model.strict[k] ? 0 : Number.MIN_VALUE;
    return score;
  });
}

function scaledDecisions(attributes) {
  const example = scaled(attributes);
  return Array.from({ length: model.learners }, (_, k) => {
    let sum = 0;
    for (const { place, x, z } of example) {
      const at = (place * model.learners + k) * model.fields, r = model.records;
      if (model.rule === "arow") sum += r[at] * z;
      else if (model.rule === "coin") sum += z * coinWeight(r[at], r[at + 1], r[at + 2], Math.max(r[at + 3], Math.abs(z), model.typical));
      else sum += r[at] * x;
    }
    return sum;
  });
}

// Scores of all experts, their mix, and the vote that may overrule it.
function committeeDecisions(attributes) {
  const example = scaled(attributes), { learners, experts, begs } = model, COIN = 6, BY_LENGTH = [4, 5];
  const scores = Array.from({ length: learners }, () => new Array(experts).fill(0));
  for (const { place, x, z, bias } of example) {
    for (let k = 0; k < learners; k++) {
      const at = (place * learners + k) * experts, coin = (place * learners + k) * 4, c = model.coin;
      for (let e = 0; e < experts; e++) {
        if (e < begs) scores[k][e] += bias || x > 0 ? model.weights[at + e] : 0;
        else if (e === COIN) {
          const largest = Math.max(c[coin + 3], Math.fround(Math.max(Math.abs(z), model.typical)));
          scores[k][e] += z * coinWeight(c[coin], c[coin + 1], c[coin + 2], largest);
        } else scores[k][e] += model.weights[at + e] * (BY_LENGTH.includes(e) ? z : x);
      }
    }
  }
  const logs = scores.map((of, k) => {
    let sum = learners === 1 ? model.mix[experts] : 0;
    of.forEach((score, e) => {
      if (model.resting[k][e]) of[e] = 0;
      const limit = model.limits[e];
      sum += model.mix[e] * Math.min(limit, Math.max(-limit, of[e]));
    });
    return sum;
  });
  return { logs, label: elected(scores, logs) };
}

function elected(scores, logs) {
  const choice = labelOf(logs), { experts, learners, votes } = model;
  const ballots = new Array(Math.max(2, learners)).fill(0);
  for (let e = 0; e < experts; e++) {
    const awake = model.resting.some((resting) => !resting[e]);
    ballots[awake ? labelOf(scores.map((of) => of[e])) : choice] += votes[e];
  }
  ballots[choice] += votes[experts];
  return ballots.reduce((best, votesFor, label) => (votesFor > ballots[best] ? label : best), choice);
}

// The label of a row, the probabilities of all classes (null if the learner has none), and its decision.
function predictByLinear(row) {
  const attributes = attributesOf(row);
  if (model.rule === "committee") {
    const { logs, label } = committeeDecisions(attributes);
    const overruled = label !== labelOf(logs);
    const decisions = overruled && logs.length === 1 ? [0] : logs;
    const probabilities = shares(decisions);
    return { label, probabilities, probability: probabilities[label], decisions: logs };
  }
  const decisions = model.rule === "linear" ? linearDecisions(attributes) : scaledDecisions(attributes);
  const label = labelOf(decisions);
  let probabilities = null;
  if (model.posterior) probabilities = decisions.length === 1 ? shares(decisions) : softmax(decisions.map((d) => -Math.log1p(Math.exp(-d))));
  if (model.slopes) probabilities = shares(decisions.map((d) => d * model.slopes[d > 0 ? 0 : 1]));
  return { label, probabilities, probability: probabilities ? probabilities[label] : null, decisions };
}
