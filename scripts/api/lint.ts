import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeDocuments } from './documents.ts'
import { redocly } from './redocly.ts'
import { schemaViolations } from './schemas.ts'

// Checks the OpenAPI documents of both APIs against the rules in redocly.yaml and schemas.ts.

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
const found = Object.entries(documents).flatMap(([name, path]) =>
  schemaViolations(JSON.parse(readFileSync(path, 'utf8'))).map((sentence) => `${name}: ${sentence}\n`),
)
if (found.length > 0) {
  process.stdout.write(found.join(''))
  process.exit(1)
}
process.stdout.write('api: both OpenAPI documents follow the rules\n')
