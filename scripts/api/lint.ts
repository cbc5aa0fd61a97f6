import { join } from 'node:path'
import { writeDocuments } from './documents.ts'
import { redocly } from './redocly.ts'

// Checks the OpenAPI documents of both APIs against the rules in redocly.yaml.

const documents = await writeDocuments(join('node_modules', '.cache', 'api'))
const { status, output } = redocly(
  'lint',
  '--config=scripts/api/redocly.yaml',
  '--format=stylish',
  ...Object.values(documents),
)
if (status !== 0) {
  process.stdout.write(output)
  process.exit(1)
}
process.stdout.write('api: both OpenAPI documents follow the rules\n')
