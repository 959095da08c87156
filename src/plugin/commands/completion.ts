// `completion`: scripts that ask the plugin itself, so that names of databases are completed too.

import type { Command } from '../command.ts';
import { EXIT, Failure } from '../failure.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

const SCRIPTS: Record<(typeof SHELLS)[number], string> = {
  bash: `# Add to ~/.bashrc:  source <(kubectl rds completion bash)
_kubectl_rds() {
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  mapfile -t COMPREPLY < <(kubectl-rds __complete "\${words[@]}" 2>/dev/null | grep -v '^:')
}
complete -F _kubectl_rds kubectl-rds
`,
  zsh: `# Add to ~/.zshrc, behind compinit:  source <(kubectl rds completion zsh)
_kubectl_rds() {
  local -a found
  found=("\${(@f)$(kubectl-rds __complete "\${(@)words[2,CURRENT]}" 2>/dev/null | grep -v '^:')}")
  compadd -- $found
}
compdef _kubectl_rds kubectl-rds
`,
  fish: `# Add to ~/.config/fish/config.fish:  kubectl rds completion fish | source
function __kubectl_rds
  set -l words (commandline -opc) (commandline -ct)
  kubectl-rds __complete $words[2..] 2>/dev/null | string match -v ':*'
end
complete -c kubectl-rds -f -a '(__kubectl_rds)'
`,
};

export const completion: Command = {
  name: 'completion',
  summary: 'print a completion script for bash, zsh or fish',
  synopsis: `${SHELLS.join('|')}`,
  text: 'The script is for kubectl-rds. kubectl itself (1.26 and newer) completes `kubectl rds` through kubectl_complete-rds, which is installed beside the plugin.',
  takes: [1, 1],
  completes: 'shell',
  options: {},
  outputs: ['table'],
  isOffline: true,
  async run({ names: [wanted = ''] }, world) {
    const shell = SHELLS.find((one) => one === wanted);
    if (!shell)
      throw new Failure(EXIT.usage, `There is no script for ${wanted}.`, `There are: ${SHELLS.join(', ')}.`);
    world.out(SCRIPTS[shell]);
    return 0;
  },
};
