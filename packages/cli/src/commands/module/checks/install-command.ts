import { sandboxFlag } from '../../../output/sandbox-flag.ts'

/** The command that registers the module in the checked sandbox. `reference` names this sandbox in commands. */
export const installCommand = (reference: string | undefined, remoteEntryUrl: string): string =>
  `svc sandbox install manifest.json${sandboxFlag(reference)} --remote-entry=${remoteEntryUrl}`
