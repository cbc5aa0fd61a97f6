import { type Command, Option } from 'commander'
import type { Context } from '../../context.ts'
import type { ApiOptions } from './api-options.ts'
import { sandboxOption } from './sandbox-option.ts'

const HELP = `
A path is relative to the building ("spaces" is /api/v1/buildings/<buildingId>/spaces), unless it begins with / or api/.
In any path, {buildingId} is replaced by the id of the building.
The page /docs at the address of the sandbox lists the paths.
With -X GET the fields of -f and -F are query parameters, not a body.

Examples:
  svc api spaces --all --jq '.data[] | [.id, .name] | @tsv'
  svc api 'points?quantityKind=Temperature' --all --jq '.data[].id'
  svc api /api/v1/webhooks -F 'events=["building.alarm.triggered"]' -f url=http://localhost:7000/hook
  svc api 'import/elements?sourceSystem=cafm' --input assets.csv -H 'Content-Type: text/csv'
  svc api simulation -F running=true -F speed=60

--jq supports the part of jq that selects and reshapes values: paths, |, {}, [], comparisons, and, or, not, select(),
map(), sort, sort_by(), unique, first, last, length, keys, has(), contains(), startswith(), test(), join(),
tostring, tonumber, @tsv.
Strings are printed without quotes.`

const repeated = (value: string, before: string[] = []): string[] => [...before, value]

export function register(parent: Command, context: Context): void {
  parent
    .command('api')
    .description('Call the API of a sandbox, with its token')
    .argument('<path>', 'a path relative to the building, or an absolute path')
    .addOption(sandboxOption())
    .addOption(new Option('-X, --method <method>', 'HTTP method (default: GET, or POST with a body)'))
    .addOption(new Option('-f, --raw-field <name=value>', 'add a string field to the JSON body').argParser(repeated))
    .addOption(
      new Option(
        '-F, --field <name=value>',
        'add a field with a JSON value; a value that is not JSON is sent as a string',
      ).argParser(repeated),
    )
    .addOption(new Option('--input <file>', 'read the body from a file; - for stdin'))
    .addOption(new Option('-H, --header <header>', 'add a header, as "Name: value"').argParser(repeated))
    .option('--all', 'read all pages of a list')
    .addOption(new Option('--jq <expression>', 'print a selection of the response'))
    .addHelpText('after', HELP)
    .action(async (path: string, options: ApiOptions) => {
      await (await import('./call-api.ts')).callApi(context, path, options)
    })
}
