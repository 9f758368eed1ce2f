"""Compiles kernels in about half of numba's time.

numba compiles every function that a kernel calls as if it were called from Python too: it optimises it, turns it into
machine code and adds a wrapper that unpacks Python objects, and then the kernel takes in its intermediate code and
optimises it once more. A :class:`Kernel` that another kernel calls is a *part* of it and only translated
(:class:`PartLibrary`); it is optimised once, inside the kernel that Python calls, and that one alone becomes machine
code and is kept on disk. The functions of numba's own library that a kernel calls, such as ``max``, become parts in the
same way. As parts are optimised late, numba finds fewer references in them that need not be counted: those of a hot
loop should count none (:func:`winnowkit.core.jit.jit_in_place`), which also spares the passes about references. Passes
for what kernels do not have are left out (:class:`KernelCompiler`).

Custom compilers are an extension point of numba (``pipeline_class``); the methods that :class:`PartLibrary` calls or
leaves out are not, and a test compares the results with those of numba's own compiler. A version of numba that lacks
one of them compiles kernels in its own way, and takes longer.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from types import CodeType
from typing import Any

from llvmlite.binding import Linkage
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.entrypoints import init_all
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import (
    AnnotateTypes,
    DumpParforDiagnostics,
    InlineOverloads,
    IRLegalization,
    NopythonRewrites,
)
from numba.core.types.misc import unliteral
from numba.core.typing.templates import _OverloadFunctionTemplate
from numba.core.untyped_passes import (
    FindLiterallyCalls,
    InlineClosureLikes,
    InlineInlinables,
    LiteralPropagationSubPipelinePass,
    LiteralUnroll,
    MakeFunctionToJitFunction,
    RewriteDynamicRaises,
    WithLifting,
)

from winnowkit.core.deferred import settle
from winnowkit.core.interpreted import Interpreted
from winnowkit.core.kernel_cache import KernelCache
from winnowkit.core.uninterrupted import uninterrupted

_PRIVATE = (
    "_optimize_functions",
    "_optimize_final_module",
    "_finalize_dynamic_globals",
    "_ensure_finalized",
    "_raise_if_finalized",
    "_get_module_for_linking",
)


def has_parts() -> bool:
    """Whether this version of numba has all private methods that :class:`PartLibrary` relies on."""
    return all(hasattr(JITCodeLibrary, name) for name in _PRIVATE) and hasattr(
        _OverloadFunctionTemplate, "_get_jit_decorator"
    )


class _Collector(JITCodeLibrary):
    """Code that keeps a list of all parts that it calls, be it directly or by way of other parts: callees first."""

    _linking_libraries: list[Any]
    _shared_module: Any

    def add_linking_library(self, library: Any) -> None:
        """Add a library and the parts that it calls, unless they are there already."""
        more = library._linking_libraries if isinstance(library, PartLibrary) else []
        for each in (*more, library):
            if each not in self._linking_libraries:
                super().add_linking_library(each)

    def _link(self, module: Any) -> None:
        """Link what this code calls into a module: callers first, as LLVM takes only what is called already."""
        for library in reversed(self._linking_libraries):
            is_part = isinstance(library, PartLibrary)
            if hasattr(library, "_reload_init"):  # numba 0.61 has none
                self._reload_init.update(library._reload_init)
            module.link_in(library._final_module if is_part else library._get_module_for_linking(), preserve=True)


class PartLibrary(_Collector):
    """Intermediate code of a function that only other compiled functions call: neither optimised nor loaded.

    It does not contain the parts that it calls: each of them is linked into a kernel once.
    """

    counts = True
    """Whether it counts references; if so, numba looks for those that need not be counted."""

    def _optimize_functions(self, ll_module: Any) -> None:
        """Do nothing, unless it counts references: the caller is optimised with all its parts."""
        if self.counts:
            super()._optimize_functions(ll_module)

    def finalize(self) -> None:
        """Make the code ready to be linked into a caller's, and nothing else."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = "linkonce_odr"  # as numba does: several kernels may contain it
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """Return this code with all that it calls, for functions that winnowkit does not compile."""
        self._ensure_finalized()
        if self._shared_module is None:
            self._shared_module = self._final_module.clone()
            self._link(self._shared_module)
        return self._shared_module

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """Return 0: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> Any:
        """Return the code generator, for a part that has no global variables in memory."""
        return _WithoutEnvironments(self._codegen)


class KernelLibrary(_Collector):
    """Code of a kernel with all its parts.

    numba optimises each function first, and then all of them quickly, to find references that need not be counted.
    A kernel that counts none is optimised once.
    """

    counts = True

    def _optimize_functions(self, ll_module: Any) -> None:
        """Do nothing but what numba does for the whole, unless it counts references."""
        if self.counts:
            super()._optimize_functions(ll_module)
        else:
            ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Link the parts, and go on as numba does."""
        self._raise_if_finalized()
        self._link(self._final_module)
        self._linking_libraries = []
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Optimise all functions together."""
        if self.counts or not hasattr(self._codegen, "_pass_builder"):  # numba 0.61 has other passes
            super()._optimize_final_module()
            return
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _WithoutEnvironments:
    """A code generator that leaves alone the Python objects of a function; parts have none in memory."""

    def __init__(self, codegen: Any) -> None:
        self._codegen = codegen

    def __getattr__(self, name: str) -> Any:
        return getattr(self._codegen, name)

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing: kernels raise no exceptions, the only use of these objects."""


class PartCompiler(Compiler):
    """numba's compiler, for a :class:`PartLibrary`."""

    def define_pipelines(self) -> Any:
        """Return numba's own passes, after giving them the library to write to."""
        state = self.state
        state.library = PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.library.counts = state.flags.nrt
        return super().define_pipelines()


class KernelCompiler(Compiler):
    """numba's compiler without the passes that find nothing to do in a kernel."""

    def define_pipelines(self) -> Any:
        """Return numba's passes but those for what kernels do not have."""
        (full,) = super().define_pipelines()
        if self.state.library is None:  # not a part of another kernel, for which this was done
            settle()  # the compiler knows kernels only
            init_all()
            self.state.typingctx.refresh()  # it has not met the instructions yet that were just made
            self.state.targetctx.refresh()
        has_inner = any(isinstance(constant, CodeType) for constant in self.state.func_id.code.co_consts)
        if has_inner or not has_parts():  # a comprehension or another function inside, or an unknown numba
            return [full]
        state, needless = self.state, _NEEDLESS
        if not state.flags.nrt:
            needless = _NEEDLESS | _FOR_NEW_ARRAYS
        if state.library is None:  # not a part
            state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
            state.library.counts = state.flags.nrt
        brief = PassManager(full.pipeline_name)
        brief.passes = [entry for entry in full.passes if entry[0] not in needless]
        brief.finalize()
        return [brief]


class KernelPartCompiler(KernelCompiler, PartCompiler):
    """The same for a part."""


_NEEDLESS = {
    WithLifting,
    InlineClosureLikes,
    RewriteDynamicRaises,
    MakeFunctionToJitFunction,
    InlineInlinables,
    FindLiterallyCalls,
    LiteralUnroll,
    LiteralPropagationSubPipelinePass,
    AnnotateTypes,
    DumpParforDiagnostics,
}
"""Passes for ``with``, closures, exceptions, functions to inline, literal types, printed types and parallel loops."""
_FOR_NEW_ARRAYS = {InlineOverloads, NopythonRewrites, IRLegalization}
"""Passes for functions that make arrays: they inline numpy's functions, fuse operations, and end variables' lives."""


def _as_part(**options: Any) -> Callable[[Any], Any]:
    """Return a decorator that makes a function of numba's library a part."""
    more = {**options, "nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return lambda function: CPUDispatcher(function, {}, more, PartCompiler)


@contextmanager
def compiling_kernels() -> Iterator[None]:
    """Make parts of what a kernel calls in numba's library, and collect no garbage, until the kernel is compiled.

    The lock that numba compiles under is held, so that the functions of nobody else are compiled this way.
    """
    with global_compiler_lock:
        collects, decorator = gc.isenabled(), _OverloadFunctionTemplate._get_jit_decorator
        gc.disable()
        _OverloadFunctionTemplate._get_jit_decorator = lambda _: _as_part
        try:
            yield
        finally:
            _OverloadFunctionTemplate._get_jit_decorator = decorator
            if collects:
                gc.enable()


class Kernel(CPUDispatcher):
    """A function that is compiled when it is first called, as a whole from Python and as a part from another kernel."""

    takes: Callable[..., float] | None = None
    """How many seconds the interpreter would take for given arguments, if the kernel may be interpreted at all."""

    def __init__(self, py_func: Any, locals: Any = None, targetoptions: Any = None, **more: Any) -> None:  # noqa: A002
        self._interpreted = Interpreted(py_func)
        options = {**(targetoptions or {}), "no_cfunc_wrapper": True}
        locals = locals or {}  # noqa: A001 - numba 0.61 refuses None
        super().__init__(py_func, locals, options, KernelCompiler, **more)

    @cached_property
    def part(self) -> Any:
        """Compiles the function as a part of other kernels."""
        if not has_parts():
            return super()
        options = {**self.targetoptions, "no_cpython_wrapper": True}
        return CPUDispatcher(self.py_func, self.locals, options, KernelPartCompiler)

    def _compilation_chain_init_hook(self) -> None:
        """Do nothing: extensions of numba, which take long to look for, are loaded if there is something to compile."""

    def _compile_for_args(self, *args: Any, **kws: Any) -> Any:
        """Return what is called with arguments that nothing was compiled for: machine code or, if brief, Python."""
        if self.takes is not None and self._interpreted.affords(self.takes(*args)) and not self._is_kept(args):
            return self._interpreted.copy
        return super()._compile_for_args(*args, **kws)

    def _is_kept(self, args: Any) -> bool:
        """Whether there is a file of machine code for such arguments."""
        return self._cache.has(tuple(map(self.typeof_pyval, args)), self.targetctx)

    def compile(self, sig: Any) -> Any:
        """Compile for these types, or load what was compiled before."""
        with uninterrupted():
            if not has_parts():
                return super().compile(sig)
            with compiling_kernels():
                return super().compile(sig)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Compile the part that a caller with these types needs, and describe it.

        A number that stands in the source is as any other of its type: numba would compile once more for its value.
        """
        kinds = {name: unliteral(kind) for name, kind in dict(kws).items()}
        return self.part.get_call_template(tuple(unliteral(kind) for kind in args), kinds)

    def get_overload(self, signature: Any) -> Any:
        """Return the part that :meth:`get_call_template` compiled."""
        return self.part.get_overload(signature)

    def keep_in(self, cache: KernelCache) -> None:
        """Keep what is compiled for Python in files."""
        self._cache = cache
