import { Argument, type Command } from 'commander'
import type { Context } from '../../context.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

const HELP = `
To enable completion:
  bash   echo 'eval "$(svc completion bash)"' >> ~/.bashrc
  zsh    svc completion zsh > "\${fpath[1]}/_svc"
  fish   svc completion fish > ~/.config/fish/completions/svc.fish`

export function register(parent: Command, context: Context): void {
  parent
    .command('completion')
    .description('Print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText('after', HELP)
    .action(async (shell: Shell) => {
      const { wordsOf } = await import('./words.ts')
      const script = await SCRIPTS[shell]()
      const text = script(wordsOf(parent))
      context.out.answer({ shell, script: text }, () => text)
    })
}

const SCRIPTS = {
  bash: async () => (await import('./bash.ts')).bashScript,
  zsh: async () => (await import('./zsh.ts')).zshScript,
  fish: async () => (await import('./fish.ts')).fishScript,
}
