"""libsvm's text, read the slow and obvious way."""

import math
import re

INTEGER, NUMBER = re.compile(rb"\d+"), re.compile(rb"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


def number(token):
    if not NUMBER.fullmatch(token) or math.isinf(float(token)):
        raise ValueError(token)
    return float(token)


def rows(text):
    """(label, [(index, value), ...]) of each row; ValueError(line) where one is wrong."""
    found = []
    for i, line in enumerate(text.split(b"\n")):
        tokens = line.split(b"#")[0].split()
        if not tokens:
            continue
        try:
            label = number(tokens[0])
            tokens = tokens[1:]
            if tokens and re.fullmatch(rb"qid:\d+", tokens[0]):
                tokens = tokens[1:]
            pairs = []
            for token in tokens:
                index, value = token.split(b":")
                if not INTEGER.fullmatch(index) or int(index) > 2**31 - 2 or (pairs and int(index) <= pairs[-1][0]):
                    raise ValueError(token)
                pairs.append((int(index), number(value)))
        except ValueError:
            raise ValueError(i + 1) from None
        found.append((label, pairs))
    return found
