import { Option } from 'commander'
import { sandboxReference } from '../argument-parsers.ts'

/** The option `--sandbox` of commands that call the API of a sandbox. */
export const sandboxOption = () =>
  new Option(
    '--sandbox <sandbox>',
    'the sandbox (default: the one in the environment, else the one selected with `svc use`)',
  ).argParser(sandboxReference)
