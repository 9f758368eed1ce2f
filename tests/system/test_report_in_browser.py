"""The report in a real browser: wide, on a phone, on paper."""

import pytest

import chromium
from winnowkit.experiments.frame import CellResult, Experiment, Plot, ReportTable, Summary, Verdict
from winnowkit.experiments.frame.results import ReportedExperiment, page, svg
from winnowkit.experiments.reproduce import find

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        chromium.COMMAND is None, reason="no Chromium on this machine (Debian: apt-get install chromium)"
    ),
]

FIGURES = """
[...document.images].map(image => {
    const box = image.getBoundingClientRect(), style = getComputedStyle(image);
    return [image.naturalWidth, image.naturalHeight, box.width, box.height, box.left, box.right, style.visibility];
})
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """A report of one real experiment, and of one whose table, words and plots are as wide as any."""
    experiment = find("lecture-bounds")
    outcomes = [CellResult(cell, experiment.run(cell)) for cell in experiment.cells("quick", 0)]
    summary = experiment.summarize(outcomes)
    real = ReportedExperiment(experiment, summary, [svg(plot) for plot in summary.plots], len(outcomes))
    table = ReportTable(
        "Fourteen columns", [f"column {i}" for i in range(14)], [["row"] + ["12,345.6 ± 7.8 (9.0)"] * 13] * 9
    )
    plots = [Plot(f"plot {i}", lambda axes: axes.plot([1, 3, 2])) for i in range(3)]
    verdict = Verdict("a" * 150, "no power", "b " * 100, "p " * 60, "c" * 90)
    wide = Experiment("wide", "Words-" * 30, "One line.", None, None, None)
    made = ReportedExperiment(wide, Summary([], [table], plots, [verdict]), [svg(plot) for plot in plots], 1)
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page([real, made], "quick", 0))
    return path, len(summary.plots) + 3


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with chromium.Browser(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [390, 1280])
def test_no_complaint_every_figure_visible_nothing_wider_than_the_window(browser, report, width, dark):
    path, n_figures = report
    browser.open(path, width, 844, dark=dark)
    assert browser.complaints == []
    figures = browser.evaluate(FIGURES)
    assert len(figures) == n_figures
    for natural_width, natural_height, box_width, box_height, left, right, visibility in figures:
        assert min(natural_width, natural_height) > 100
        assert min(box_width, box_height) > 200  # readable on a phone
        assert 0 <= left < right <= width
        assert visibility == "visible"
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate("document.querySelector('.table table').getBoundingClientRect().height") > 50
    assert browser.evaluate("parseFloat(getComputedStyle(document.body).fontSize)") >= 15


def test_a_broken_page_is_noticed(browser, tmp_path):
    """Control: the same checks fail on a page that has what they look for."""
    path = tmp_path / "broken.html"
    path.write_text("<img src='none.png'><p style='width: 900px'>wide</p><script>throw Error('!')</script>")
    browser.open(path, 390, 844)
    assert len(browser.complaints) >= 2
    assert browser.evaluate(FIGURES)[0][0] == 0
    assert browser.evaluate("document.documentElement.scrollWidth") > 390


def test_on_paper_each_part_begins_a_page(browser, report):
    path, _ = report
    browser.open(path, 1280, 844)
    data = browser.pdf()
    assert data.startswith(b"%PDF")
    assert data.count(b"/Type /Page\n") >= 3  # contents, and a page or more for each part
