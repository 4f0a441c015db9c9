"""The matrix of reports: who passes what, and where they differ."""

from report_samples import implementation, report

from groundrules.conformance.render import matrix

matrix = matrix.matrix


def test_families_go_down_and_implementations_across():
    """Passed of applicable, a dash where nothing is, and where each column comes from."""
    one = implementation({"canon.a": "pass", "canon.b": "fail", "lint.a": "pass"}, name="one")
    two = implementation({"canon.a": "pass", "canon.b": "pass", "lint.a": "not-applicable"}, name="t|o")
    assert matrix(report(one, two, set="1.0")).splitlines() == [
        "| family | one 0.3 | t\\|o 0.3 |",
        "| ------ | ------: | -------: |",
        "| canon  |     1/2 |      2/2 |",
        "| lint   |     1/1 |        – |",  # noqa: RUF001 - the dash of an empty cell
        "| all    |     2/3 |      2/2 |",
        "",
        "- one 0.3: kit 0.1.0, corpus d2fe599300000000, set 1.0, 3 asked",
        "- t\\|o 0.3: kit 0.1.0, corpus d2fe599300000000, set 1.0, 3 asked",
        "",
        "## Where they differ",
        "",
        "- `canon.b`: one 0.3 fail, t\\|o 0.3 pass",
    ]


def test_one_implementation_differs_from_none():
    """There is then nothing to say of differences."""
    assert "differ" not in matrix(report(implementation({"canon.a": "pass"})))


def test_reports_are_merged_and_namesakes_told_apart():
    """A family that one report lacks is a dash in its column; the same name twice is numbered."""
    shown = matrix(report(implementation({"canon.a": "pass"})), report(implementation({"lint.a": "pass"})))
    assert "| family | canon-rs 0.3 | canon-rs 0.3 (2) |" in shown
    assert "| lint   |            – |              1/1 |" in shown  # noqa: RUF001 - the dash of an empty cell
    assert shown.endswith("## Where they differ\n\nOn no vector.\n")


def test_another_vector_of_the_same_id_is_not_compared():
    """Results are compared where id and SHA-256 are the same, and nowhere else."""
    one, two = implementation({"canon.a": "pass"}), implementation({"canon.a": "fail"}, name="two")
    assert "- `canon.a`:" in matrix(report(one), report(two))
    two["results"][0]["sha256"] = "cd" * 32
    assert "On no vector." in matrix(report(one), report(two))


def test_a_long_name_does_not_stretch_the_table():
    """A head shows 40 characters and says how many there are."""
    head = matrix(report(implementation({"canon.a": "pass"}, name="n" * 100))).splitlines()[0]
    assert head == f"| family | {'n' * 40}… (104 characters) |"
