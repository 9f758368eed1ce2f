"""The page of `model.report` in a real browser: it is clicked on, and computes what Python predicts."""

import json
import warnings
from itertools import pairwise

import numpy as np
import pytest

import chromium
from winnowkit import AROW, AdaptiveWinnow, BayesBEG, CoinBetting, Committee, DNFWinnow, NormalizedWinnow, Winnow2
from winnowkit.data import CategoryEncoder, Frame, load_dataset
from winnowkit.data.indicators import indicators
from winnowkit.report import report
from winnowkit.report.table import table_of
from winnowkit.rulesets import Condition, Rule, RuleSet

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        chromium.COMMAND is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"
    ),
]

HOSTILE = [
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "<!--<script>",
    "&amp;'\"`",
]
FOREIGN = ["Größe (süß)", "العمر", "🌧️ rain", "a\u202eb", "__proto__"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium.Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def opened(browser, folder, page, *, width=1280, dark=False):
    path = page.save(folder / "report.html")
    browser.open(path, width, 900, dark=dark)
    return browser


def rows_of(X):
    table = table_of(X)
    return [table.row(i) for i in range(table.n_rows)]


def fitted(name):
    dataset = load_dataset(name, as_frame=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = DNFWinnow(random_state=0).fit(dataset.data, dataset.target)
    return model, dataset.data, dataset.target


@pytest.fixture(scope="module")
def voting(tmp_path_factory):
    """A report on a model with missing values, and a rule set of several rules."""
    model, X, y = fitted("voting")
    path = report(model, X, y, X, y, target="party").save(tmp_path_factory.mktemp("voting") / "report.html")
    return path, model, X, y


PREDICT_AT_ALL_POINTS = """rows => ruleSet.points.map((_, point) => {
  goTo(point);
  return rows.map(row => {
    const found = predictRow(row), first = holdingRules(row, activeRules())[0];
    const own = first === undefined ? ruleSet.points[point].else : ruleSet.rules[first].then;
    return [content.classes[found.label], found.probability, own === found.label];
  });
})"""


# --- what if equals predict -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["breast-cancer", "iris", "voting"])
def test_what_if_by_rules_predicts_every_row_as_python_does(browser, tmp_path, name):
    model, X, y = fitted(name)
    opened(browser, tmp_path, report(model, X, y, X, y))
    said = browser.evaluate(f"({PREDICT_AT_ALL_POINTS})({json.dumps(rows_of(X))})")
    for point, answers in enumerate(said):
        text = browser.evaluate(f"(goTo({point}), rulesAsText())")
        rules = RuleSet.from_text(text)
        assert [answer[0] for answer in answers] == rules.predict(X).tolist()
        assert all(answer[2] for answer in answers)  # the exported function and the page's own agree
        chances = rules.predict_proba(X)
        if len(rules.classes) > 1:
            assert [answer[1] for answer in answers] == pytest.approx(
                [chances[i, rules.classes.index(answer[0])] for i, answer in enumerate(answers)]
            )
    assert browser.complaints == []


LEARNERS = [
    Winnow2(),
    Winnow2(negations=True),
    NormalizedWinnow(),
    BayesBEG(policy="always"),
    AROW(),
    CoinBetting(),
    AdaptiveWinnow(),
    Committee(),
]


@pytest.mark.parametrize("name", ["voting", "breast-cancer", "iris"])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_what_if_by_a_linear_learner_predicts_every_row_as_python_does(browser, tmp_path, name, learner):
    dataset = load_dataset(name, as_frame=True)
    X, y = dataset.data, dataset.target
    encoder = CategoryEncoder(missing="ignore").fit(X, y)
    attributes = indicators(encoder.transform(X), encoder.n_categories_)
    model = learner.set_params(random_state=0).fit(attributes, y)
    opened(browser, tmp_path, report(model, X, y, X, y, encoder=encoder))
    assert_linear_agrees(browser, model, rows_of(X), attributes)


def assert_linear_agrees(browser, model, rows, attributes):
    answers = browser.evaluate(
        f"({json.dumps(rows)}).map(predictRow).map(found => [content.classes[found.label], found.probability])"
    )
    expected = model.predict(attributes)
    assert [answer[0] for answer in answers] == expected.tolist()
    if hasattr(model, "predict_proba"):
        chances = model.predict_proba(attributes)
        places = np.searchsorted(model.classes_, expected)
        assert [answer[1] for answer in answers] == pytest.approx(chances[np.arange(len(places)), places], abs=1e-5)
    assert browser.complaints == []


@pytest.mark.parametrize("learner", [AROW(), Committee(), Winnow2(binarize=0.5)], ids=repr)
def test_what_if_on_real_and_sparse_values(browser, tmp_path, learner):
    from scipy.sparse import random as random_sparse  # noqa: PLC0415

    X = random_sparse(300, 40, 0.2, format="csr", random_state=0)
    y = np.where(X[:, [3]].toarray().ravel() + X[:, [7]].toarray().ravel() > 0.4, "yes", "no")
    model = learner.set_params(random_state=0).fit(X, y)
    opened(browser, tmp_path, report(model, X, y, X, y))
    assert_linear_agrees(browser, model, rows_of(X), X)


@pytest.mark.parametrize("learner", [AROW(), CoinBetting(), Committee(), Winnow2()], ids=repr)
def test_a_model_too_large_for_the_page_is_there_for_the_rows_that_it_shows(browser, tmp_path, monkeypatch, learner):
    from scipy.sparse import random as random_sparse  # noqa: PLC0415

    X = random_sparse(60, 5_000, 0.001, format="csr", random_state=0)
    model = learner.set_params(random_state=0).fit(X, np.arange(60) % 2)
    monkeypatch.setattr("winnowkit.report.linear_export.MOST_BYTES", 36_000)
    monkeypatch.setattr("winnowkit.report.columns_data.MOST_NAMES", 20)
    opened(browser, tmp_path, report(model, X, np.arange(60) % 2, X, np.arange(60) % 2))
    assert "those of the rows in this page, can be added" in browser.evaluate("document.body.textContent")
    assert_linear_agrees(browser, model, rows_of(X), X)
    absent = next(f"x{j}" for j in range(5_000) if not X[:, [j]].nnz)
    assert browser.evaluate(f"placeOfName('{absent}')") == -1


# --- clicking ---------------------------------------------------------------------------------------------------------


def test_the_slider_shows_the_rule_set_at_each_point(browser, voting):
    path, *_ = voting
    browser.open(path, 1280, 900)
    n_points = browser.evaluate("ruleSet.points.length")
    assert n_points > 1
    seen = set()
    for point in range(n_points):
        browser.evaluate(
            f"{{ const s = document.getElementById('slider'); s.value = {point};"
            " s.dispatchEvent(new Event('input', {bubbles: true})); }"
        )
        n_rules = browser.evaluate("document.querySelectorAll('#rules-shown tbody tr').length") - 1
        assert n_rules == browser.evaluate(f"ruleSet.points[{point}].rules.length")
        assert browser.evaluate("document.querySelectorAll('#trade-off .here').length") == 1
        assert f"{n_rules} rule" in browser.evaluate("document.getElementById('slider').getAttribute('aria-valuetext')")
        seen.add(browser.evaluate("document.getElementById('rules-status').textContent"))
    assert len(seen) == n_points


def test_a_rule_that_is_switched_off_changes_error_support_and_the_download(browser, tmp_path):
    dataset = load_dataset("tic-tac-toe", as_frame=True)
    X, y = dataset.data, dataset.target
    lines = [(0, 4, 8), (0, 1, 2), (4,)]
    cells = [[Condition(X.columns[j], "=", "x") for j in line] for line in lines]
    rules = RuleSet([Rule(some, "positive") for some in cells], "negative", X.columns)
    opened(browser, tmp_path, rules.to_report(X, y, X, y))
    browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    before = rules.predict(X) != y
    assert f"{before.mean():.1%}" in browser.evaluate("document.getElementById('rules-status').textContent")
    browser.evaluate("document.querySelectorAll('#rules-shown input')[2].click()")
    kept = rules.without(2)
    wrong = kept.predict(X) != y
    assert f"{wrong.mean():.1%}" in browser.evaluate("document.getElementById('rules-status').textContent")
    browser.evaluate("document.getElementById('rules-download').click()")
    file = wait_for(tmp_path / "rules.txt")
    read = RuleSet.from_text(file.read_text())
    assert [str(rule) for rule in read] == [str(rule) for rule in kept]
    measured = kept.measured(X, y)
    assert [(rule.support, rule.decided, rule.right) for rule in read] == [
        (rule.support, rule.decided, rule.right) for rule in measured
    ]
    assert (read.default_decided, read.default_right) == (measured.default_decided, measured.default_right)
    assert (read.predict(X) == kept.predict(X)).all()
    browser.evaluate("document.getElementById('rules-reset').click()")
    assert f"{before.mean():.1%}" in browser.evaluate("document.getElementById('rules-status').textContent")


def wait_for(path):
    import time  # noqa: PLC0415

    for _ in range(100):
        if path.exists():
            return path
        time.sleep(0.1)
    raise AssertionError(f"{path} was not downloaded")


def test_values_changed_in_the_form_change_the_answer(browser, voting):
    path, _, X, _ = voting
    browser.open(path, 1280, 900)
    browser.evaluate("goTo(ruleSet.points.length - 1)")
    for i in range(0, 60, 7):
        row = rows_of(X)[i]
        browser.evaluate("startFrom('')")
        for name, value in row.items():
            browser.evaluate(
                f"""{{ const column = content.columns.find(c => c.name === {json.dumps(name)});
                const field = document.getElementById('value-' + column.place);
                field.value = column.values.indexOf({json.dumps(value)});
                field.dispatchEvent(new Event('change', {{bubbles: true}})); }}"""
            )
        for name in set(X.columns) - set(row):
            browser.evaluate(
                f"""{{ const column = content.columns.find(c => c.name === {json.dumps(name)});
                const field = document.getElementById('value-' + column.place);
                field.value = ''; field.dispatchEvent(new Event('change', {{bubbles: true}})); }}"""
            )
        rules = RuleSet.from_text(browser.evaluate("rulesAsText()"))
        label = rules.predict_one(row)
        assert browser.evaluate("document.querySelector('.answer .label').textContent") == label
        assert browser.evaluate("document.querySelectorAll('.holding li').length") == sum(
            rule.holds(row) for rule in rules
        )


def test_the_smallest_change_flips_the_label(browser, voting):
    path, _, X, _ = voting
    browser.open(path, 1280, 900)
    rules = RuleSet.from_text(browser.evaluate("rulesAsText()"))
    for row in rows_of(X)[:40]:
        found = browser.evaluate(f"(row => flips(row, predictRow(row).label))({json.dumps(row)})")
        for changes in found:
            other = {**row, **{change["name"]: change["value"] for change in changes}}
            assert rules.predict_one(other) != rules.predict_one(row)
        if not found:  # then no other value of one column flips it either
            single = [{**row, name: value} for name in X.columns for value in ("y", "n")]
            assert {rules.predict_one(other) for other in single} == {rules.predict_one(row)}


def test_tables_sort_by_a_click_and_by_the_keyboard(browser, voting):
    path, *_ = voting
    browser.open(path, 1280, 900)
    numbers = "[...document.querySelectorAll('table.wrong tbody tr')].map(row => Number(row.cells[0].textContent))"
    browser.evaluate("document.querySelector('table.wrong thead button').click()")
    assert browser.evaluate(numbers) == sorted(browser.evaluate(numbers))
    browser.evaluate("document.querySelector('table.wrong thead button').focus()")
    for kind in ("keyDown", "keyUp"):
        browser.call(
            "Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", text="\r", windowsVirtualKeyCode=13
        )
    assert browser.evaluate(numbers) == sorted(browser.evaluate(numbers), reverse=True)
    assert browser.evaluate("document.querySelector('table.wrong th').getAttribute('aria-sort')") == "descending"


def test_examples_of_a_rule_open_and_lead_to_what_if(browser, voting):
    path, *_ = voting
    browser.open(path, 1280, 900)
    browser.evaluate("document.querySelector('.examples summary').click()")
    browser.evaluate("new Promise(done => setTimeout(done, 200))")
    assert browser.evaluate("document.querySelectorAll('.examples[open] li').length") >= 1
    place = browser.evaluate("ruleSet.rules[activeRules()[0]].examples[0]")
    browser.evaluate("document.querySelector('.examples[open] li button').click()")
    assert browser.evaluate("document.getElementById('start').value") == str(place)


# --- hostile and foreign names ----------------------------------------------------------------------------------------


def hostile_table():
    rng = np.random.default_rng(0)
    names = [*HOSTILE, *FOREIGN]
    values = np.array([*HOSTILE, *FOREIGN], dtype=object)
    columns = {name: values[rng.integers(len(values), size=200)] for name in names}
    y = np.where(columns[HOSTILE[0]] == HOSTILE[1], HOSTILE[0], FOREIGN[1])
    return Frame(columns), y


@pytest.mark.parametrize("kind", ["rules", "dnf", "committee"])
def test_hostile_names_are_shown_and_never_run(browser, tmp_path, kind):
    X, y = hostile_table()
    encoder = None
    if kind == "rules":
        model = RuleSet([Rule([Condition(HOSTILE[0], "=", HOSTILE[1])], HOSTILE[0])], FOREIGN[1], X.columns)
    elif kind == "dnf":
        model = DNFWinnow(random_state=0).fit(X, y)
    else:
        encoder = CategoryEncoder(missing="ignore").fit(X, y)
        model = Committee(random_state=0).fit(indicators(encoder.transform(X), encoder.n_categories_), y)
    page = report(model, X, y, X, y, title=HOSTILE[0], note=HOSTILE[1], target=HOSTILE[2], encoder=encoder)
    opened(browser, tmp_path, page)
    assert browser.complaints == []
    assert browser.evaluate("typeof window.hacked") == "undefined"
    assert browser.evaluate("document.querySelectorAll('img, iframe, object').length") == 0
    assert browser.evaluate("document.scripts.length") == 2
    assert browser.evaluate("document.title") == HOSTILE[0]
    text = browser.evaluate("document.body.innerText")
    for name in (HOSTILE[0], FOREIGN[0], FOREIGN[1], FOREIGN[2]):
        assert name in text
    assert "\u202e" not in text
    answers = browser.evaluate(f"({json.dumps(rows_of(X))}).map(row => content.classes[predictRow(row).label])")
    if kind == "rules":
        assert answers == model.predict(X).tolist()
    elif kind == "committee":
        assert answers == model.predict(indicators(encoder.transform(X), encoder.n_categories_)).tolist()
    assert browser.evaluate("getComputedStyle(document.querySelector('bdi')).unicodeBidi") == "isolate"


def test_the_policy_of_the_page_stops_a_script_that_was_put_in(browser, tmp_path):
    """Control: the same page with a script from elsewhere does not run it, and the browser complains."""
    X, y = hostile_table()
    rules = RuleSet([Rule([Condition(HOSTILE[0], "=", HOSTILE[1])], HOSTILE[0])], FOREIGN[1], X.columns)
    page = report(rules, X, y, X, y)
    page.html = page.html.replace("</main>", "</main><script>window.hacked = 1</script>")
    opened(browser, tmp_path, page)
    assert browser.evaluate("typeof window.hacked") == "undefined"
    assert browser.complaints


# --- looks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_complaint_and_nothing_wider_than_the_window(browser, voting, width, dark):
    path, *_ = voting
    browser.open(path, width, 844, dark=dark)
    assert browser.complaints == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 15
    colours = browser.evaluate(
        "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
    )
    light = [sum(json.loads(f"[{colour[4:-1]}]")) for colour in colours]
    assert (light[0] > light[1]) == dark


def test_on_paper_there_are_the_rules_and_no_buttons(browser, voting):
    path, *_ = voting
    browser.open(path, 1280, 900)
    assert browser.pdf().count(b"/Type /Page\n") >= 2
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.evaluate("[...document.querySelectorAll('button:not(.sort)')].every(b => b.offsetParent === null)")
    assert browser.evaluate("document.querySelector('#rules-shown table').offsetHeight") > 20


def test_every_control_has_a_name_and_every_table_a_caption(browser, voting):
    path, *_ = voting
    browser.open(path, 1280, 900)
    assert browser.evaluate("document.documentElement.lang") == "en"
    nameless = browser.evaluate(
        "[...document.querySelectorAll('input, select, button')].filter(e =>"
        " !(e.labels && e.labels.length) && !e.textContent.trim() && !e.getAttribute('aria-label')).length"
    )
    assert nameless == 0
    assert browser.evaluate("[...document.querySelectorAll('table')].every(t => t.caption)")
    assert browser.evaluate(
        "[...document.querySelectorAll('svg')].every(s => s.getAttribute('role') === 'img' && s.querySelector('title'))"
    )
    order = browser.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(h => Number(h.tagName[1]))")
    assert order[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(order))


CONTRAST = """(() => {
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const linear = v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const light = ([r, g, b]) => [r, g, b].map(v => linear(v / 255))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, below) => { const a = top[3] ?? 1; return below.map((v, i) => a * top[i] + (1 - a) * v); };
  const behind = element => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) {
      const found = getComputedStyle(e).backgroundColor;
      if (found.startsWith("rgb")) layers.push(numbers(found));
    }
    return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255]);
  };
  const found = [];
  for (const e of document.querySelectorAll("p, th, td, li, bdi, dt, b, span, label, figcaption, button, a, summary")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.offsetParent) continue;
    if (e.closest(".confusion td")) continue;  // its colours are mixed by the browser
    const paper = behind(e), ink = over(numbers(getComputedStyle(e).color), paper);
    const [high, low] = [light(ink), light(paper)].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < 4.5) found.push([e.tagName, e.className, e.textContent.slice(0, 30), ratio]);
  }
  return found;
})()"""


@pytest.mark.parametrize("dark", [False, True])
def test_all_text_has_contrast(browser, voting, dark):
    path, *_ = voting
    browser.open(path, 1280, 900, dark=dark)
    assert browser.evaluate(CONTRAST) == []
    browser.evaluate("document.querySelector('.lead').style.color = '#777a'")
    assert browser.evaluate(CONTRAST)[0][1] == "lead"  # control: half-transparent grey is too weak


def test_the_keyboard_reaches_every_control_in_order_and_shows_where_it_is(browser, voting):
    path, *_ = voting
    browser.open(path, 1280, 900)
    n_controls = browser.evaluate(
        "[...document.querySelectorAll('a, button, input, select, summary, [tabindex]')]"
        ".filter(e => e.offsetParent && e.tabIndex >= 0"
        " && (e.tagName === 'SUMMARY' || !e.closest('details:not([open])'))).length"
    )
    seen = []
    for _ in range(n_controls + 5):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key="Tab", code="Tab", windowsVirtualKeyCode=9)
        seen.append(
            browser.evaluate(
                "[document.activeElement.id || document.activeElement.className || document.activeElement.tagName,"
                " document.activeElement.getBoundingClientRect().top + scrollY,"
                " getComputedStyle(document.activeElement).outlineStyle]"
            )
        )
        if seen[-1][0] == "BODY":
            break
    names = [name for name, *_ in seen]
    assert names[0] == "skip"
    assert {"slider", "rules-reset", "rules-download"} <= set(names)
    assert all(outline != "none" for name, _, outline in seen if name != "BODY")
    assert len([name for name in names if name != "BODY"]) >= n_controls - 1


def test_on_a_phone_and_on_paper_tables_fit(browser, voting):
    path, *_ = voting
    browser.open(path, 390, 844)
    wide = "[...document.querySelectorAll('.compared, .matters, .stack')].map(t => t.getBoundingClientRect().right)"
    assert max(browser.evaluate(wide)) <= 391
    browser.open(path, 680, 962)  # A4 without its margins, at 96 dots per inch
    browser.call("Emulation.setEmulatedMedia", media="print")
    assert browser.evaluate("getComputedStyle(document.querySelector('.wrong tbody tr')).display") == "table-row"
    assert max(browser.evaluate(wide)) <= 681


def test_without_rows_the_page_holds_none(browser, tmp_path):
    X = Frame({"word": np.array([f"secret-{i}" for i in range(60)], dtype=object), "on": np.tile([0.0, 1.0], 30)})
    y = np.tile(["no", "yes"], 30)
    rules = RuleSet([Rule([Condition("on", "=", 1)], "yes")], "no", ["word", "on"])
    opened(browser, tmp_path, rules.to_report(X, y, X, y, rows=False))
    assert browser.evaluate("content.rows.length") == 0
    assert browser.evaluate("document.querySelector('.answer .label').textContent") in ("no", "yes")
    assert browser.complaints == []
