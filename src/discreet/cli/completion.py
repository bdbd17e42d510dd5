"""discreet completion: what makes a shell complete commands, options and choices."""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command(
    "completion",
    epilog='Example: discreet completion bash >> ~/.bashrc, or eval "$(discreet completion zsh)" for this session',
)
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script that makes SHELL complete what is typed after discreet.

    bash: append it to ~/.bashrc. zsh: to ~/.zshrc. fish: write it to ~/.config/fish/completions/discreet.fish.
    """
    from click.shell_completion import get_completion_class

    from discreet.cli import COMPLETE, group

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"{shell} cannot be completed by this version of click")
    made = kind(group, {}, "discreet", COMPLETE)
    click.echo(made.source_template % made.source_vars())
