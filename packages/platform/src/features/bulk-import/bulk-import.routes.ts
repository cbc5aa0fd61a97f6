import { BuildingParams, BulkImportResult, CsvImportQuery, problems } from '@storey/contract'
import { BODIES, type BodyRule, createBodyCheck, type HttpApp } from '@storey/kit/http'
import Type from 'typebox'
import { callerOf } from '../../caller.ts'
import { checkSourceSystem, type GraphAccess } from '../../graph/index.ts'
import type { ImportRequest } from './import-request.ts'
import { importRows } from './import-rows.ts'
import { readCsv } from './read-csv.ts'
import { SHEETS, type Sheet } from './sheets.ts'

const CSV = 'text/csv'
const body: BodyRule = { ...BODIES.bulk, types: { 'application/json': 'json', [CSV]: 'text' } }
const WRITE = { access: 'data-import.sync:write', body, problems: ['CONFLICT'] } as const

/** Imports of thousands of spaces, elements or points, as JSON or as CSV. */
export function bulkImportRoutes(app: HttpApp, graph: GraphAccess): void {
  app.addSchema(BulkImportResult)
  for (const sheet of SHEETS) bulkImportRoute(app, graph, sheet)
}

function bulkImportRoute(app: HttpApp, graph: GraphAccess, sheet: Sheet): void {
  const { list, kind, parent, body } = sheet
  const { validatorCompiler } = app
  const readJson = jsonReader(sheet)
  const schema = {
    tags: ['Imports'],
    summary: `Import ${list}, as JSON or as CSV`,
    description:
      `A row changes the ${kind} that has the externalId of the row under the sourceSystem. If there is none, the row ` +
      `creates a new ${kind}. With matchBy code, rows are matched by their codes instead. With listChanges, the ` +
      `result has the list of changes. All rows are written as one revision. If a row is invalid, nothing is written, ` +
      `and errors has the index, the externalId and the reason of each of the first 100 violations. ` +
      `${parent.externalId} is looked up under the sourceSystem of the import, then under ifc, then under any other ` +
      `source system.`,
    params: BuildingParams,
    querystring: CsvImportQuery,
    body: {
      content: {
        'application/json': { schema: body },
        [CSV]: { schema: Type.String({ description: describeCsv(sheet) }) },
      },
    },
    response: { 200: { $ref: 'BulkImportResult#' } },
  }
  const route = {
    config: WRITE,
    schema,
    // The handler checks the body row by row, so that each error has the index and the external id of its row.
    validatorCompiler: (part: Parameters<NonNullable<typeof validatorCompiler>>[0]) =>
      part.httpPart === 'body' ? () => true : validatorCompiler!(part),
  }
  app.post(`/api/v1/buildings/:buildingId/import/${list}`, route, (request) => {
    const { buildingId } = request.params as { buildingId: string }
    const query = request.query as CsvImportQuery
    const requested =
      request.mediaType === CSV ? csvImport(sheet, request.body as string, query) : readJson(request.body, query)
    return importRows(graph, buildingId, requested, callerOf(request).actor)
  })
}

function describeCsv({ row, parent }: Sheet): string {
  const columns = Object.keys(row.properties).join(', ')
  return (
    `UTF-8, separated by comma, semicolon or tab, quoted as in RFC 4180. The header names the columns, in any order: ` +
    `${columns}, with either ${parent.id} or ${parent.externalId} in each row. sourceSystem, dryRun, matchBy and listChanges are parameters.`
  )
}

type Body = CsvImportQuery & { sourceSystem: string } & Record<string, unknown[]>

function jsonReader(sheet: Sheet): (body: unknown, query: CsvImportQuery) => ImportRequest {
  const { list, body } = sheet
  // Each row is checked later, because a bad row does not refuse the others.
  const rows = { ...body.properties[list], items: Type.Unknown() }
  const check = createBodyCheck(Type.Object({ ...body.properties, [list]: rows }, { additionalProperties: false }))
  return (body, query) => {
    const errors = check(body ?? null)
    if (errors.length > 0) throw problems.validation(errors)
    for (const name of Object.keys(query))
      throw problems.query(name, `with a JSON body, ${name} is a field of the body and not a parameter`)
    const { sourceSystem, dryRun = false, matchBy = 'externalId', listChanges = false, [list]: rows } = body as Body
    return { sheet, sourceSystem, dryRun, matchBy, listChanges, rows: rows!, malformed: new Map() }
  }
}

function csvImport(sheet: Sheet, text: string, query: CsvImportQuery): ImportRequest {
  const { sourceSystem, dryRun = false, matchBy = 'externalId', listChanges = false } = query
  if (sourceSystem === undefined) throw problems.query('sourceSystem', 'sourceSystem is required with a CSV body')
  checkSourceSystem(sourceSystem, 'sourceSystem', problems.query)
  return { sheet, sourceSystem, dryRun, matchBy, listChanges, ...readCsv(text, sheet, matchBy) }
}
