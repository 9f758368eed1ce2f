#!/usr/bin/env bash
# Tests what users will install: the lowest versions that pyproject.toml declares, and the wheel and sdist in empty
# environments. Needs uv on the path. `tools/supply.sh lowest` and `tools/supply.sh build` run one of the two.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD/output/supply
mkdir -p "$here"

lowest() {
    echo "== tests with the lowest declared versions"
    uv venv --quiet --clear "$here/lowest"
    # wheels only: building old releases from source is not supported
    uv pip install --quiet --python "$here/lowest" --resolution lowest-direct --only-binary :all: --no-binary winnowkit \
        --editable '.[dask,diagnose,files,onnx,plot,river]' \
        'pytest>=8' 'pytest-xdist>=3.5' 'hypothesis>=6.100' 'pandas>=2.1' 'polars>=1.0' 'duckdb>=1.0' 'onnxruntime>=1.18'
    uv pip check --python "$here/lowest"
    uv pip freeze --python "$here/lowest" --exclude-editable | grep -E '^(numpy|scipy|scikit-learn|numba|safetensors|tqdm)=='
    "$here/lowest/bin/python" -m pytest -q -n 2 -p no:cacheprovider -W ignore::DeprecationWarning -W ignore::FutureWarning \
        tests --ignore tests/system --ignore tests/experiments
}

build() {
    echo "== wheel and sdist"
    rm -rf "$here/dist"
    uv build --quiet --out-dir "$here/dist"
    for file in "$here"/dist/*.whl "$here"/dist/*.tar.gz; do
        echo "== $(basename "$file") in an empty environment"
        uv venv --quiet --clear "$here/empty"
        uv pip install --quiet --python "$here/empty" "$file"
        uv pip check --python "$here/empty"
        (cd "$here" && "$here/empty/bin/winnowkit" --version && "$here/empty/bin/winnowkit" demo > demo.txt && tail -n 3 demo.txt)
    done
}

for part in "${@:-lowest build}"; do
    for step in $part; do "$step"; done
done
