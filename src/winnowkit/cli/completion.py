"""``winnowkit completion``: scripts that complete commands, options and learners in a shell."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from winnowkit.cli.messages import OK
from winnowkit.cli.output import show

BASH = """\
_winnowkit() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}"
    local words=""
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word"))
        return
    fi
    case "$command $before" in
{values}
    esac
    if [ -n "$words" ]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
        return
    fi
    case "$command" in
{options}
    esac
    if [[ "$word" == -* ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _winnowkit winnowkit
"""


def run(arguments: argparse.Namespace) -> int:
    """Print the script for a shell."""
    show(script(arguments.shell, arguments.parser).rstrip("\n"))
    return OK


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """Return the script for bash, zsh or fish, generated from the parser."""
    if shell == "fish":
        return "\n".join(_fish(parser)) + "\n"
    options, values = [], []
    for name, command in commands(parser).items():
        flags = " ".join(flag for action in command._actions for flag in action.option_strings if flag.startswith("--"))
        options.append(f'        {name}) words="{flags}" ;;')
        for action in command._actions:
            if action.choices is not None:
                flags_of = action.option_strings or ["*"]
                patterns = "|".join(f'"{name} {flag}"' if flag != "*" else f'"{name} {name}"' for flag in flags_of)
                values.append(f'        {patterns}) words="{" ".join(map(str, action.choices))}" ;;')
    names = " ".join(commands(parser))
    text = BASH.format(commands=names, options="\n".join(options), values="\n".join(values))
    return "autoload -Uz bashcompinit && bashcompinit\n" + text if shell == "zsh" else text


def _fish(parser: argparse.ArgumentParser) -> Iterator[str]:
    names = commands(parser)
    for name, command in names.items():
        about = (command.description or "").split("\n")[0].replace("'", "")
        yield f"complete -c winnowkit -n __fish_use_subcommand -f -a {name} -d '{about}'"
        for action in command._actions:
            long = next((flag[2:] for flag in action.option_strings if flag.startswith("--")), None)
            if long is None:
                continue
            choices = f" -x -a '{' '.join(map(str, action.choices))}'" if action.choices is not None else ""
            about = (action.help or "").replace("'", "").replace("%%", "%")
            yield f"complete -c winnowkit -n '__fish_seen_subcommand_from {name}' -l {long}{choices} -d '{about}'"


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of the commands by name."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}
