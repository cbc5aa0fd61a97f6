import type { CallOptions, HttpClient } from '../http/client.ts'
import { path } from '../http/path.ts'
import { sleep } from '../http/retry.ts'
import type { RequestBody } from '../transport/connect.ts'
import type {
  BulkImportResult,
  ImportAccepted,
  ImportElements,
  ImportPoints,
  ImportRecord,
  ImportSpaces,
  ImportSummary,
  LeftOutEntity,
} from '../wire.ts'
import { type ListApi, listApi, type ReadApi, readApi } from './resource.ts'

/**
 * Parameters of a CSV import that are not in the rows.
 *
 * @stable
 */
export interface CsvImport {
  sourceSystem: string
  dryRun?: boolean
  /** Whether rows are matched by `externalId` (default) or by `code`. With `code`, no row may have `externalId`. */
  matchBy?: 'externalId' | 'code'
  /** Whether the result has the list of changes. */
  listChanges?: boolean
}

/**
 * Parameters of an import of a building model. The list of imports shows the name of the file.
 *
 * @stable
 */
export interface IfcImport {
  replace?: boolean
  fileName?: string
}

/**
 * Imports many nodes at a time. Rows are matched by their external ids or codes. If one row is invalid, nothing is
 * imported.
 *
 * @stable
 */
export interface ImportsApi extends ReadApi<ImportRecord, { limit?: number; offset?: number }, ImportSummary> {
  spaces(body: ImportSpaces, options?: CallOptions): Promise<BulkImportResult>
  spacesCsv(csv: string, about: CsvImport, options?: CallOptions): Promise<BulkImportResult>
  elements(body: ImportElements, options?: CallOptions): Promise<BulkImportResult>
  elementsCsv(csv: string, about: CsvImport, options?: CallOptions): Promise<BulkImportResult>
  points(body: ImportPoints, options?: CallOptions): Promise<BulkImportResult>
  pointsCsv(csv: string, about: CsvImport, options?: CallOptions): Promise<BulkImportResult>
  /** Imports a building model. With `replace`, the model replaces the generated building and all earlier models. */
  ifc(file: RequestBody, query?: IfcImport, options?: CallOptions): Promise<ImportAccepted>
  /** Waits until the import has ended: its status is then `succeeded` or `failed`. */
  untilDone(importId: string, options?: CallOptions & { everySeconds?: number }): Promise<ImportRecord>
  /** The entities of the model that are not in the graph, with reasons. */
  leftOut(importId: string): ListApi<LeftOutEntity>
}

export function importsApi(http: HttpClient, building: string): ImportsApi {
  const all = `${building}/imports`
  const read = readApi<ImportRecord, { limit?: number; offset?: number }, ImportSummary>(http, all)
  const bulk =
    (kind: string) =>
    (body: object, options?: CallOptions): Promise<BulkImportResult> =>
      http.json({ ...options, method: 'POST', path: `${building}/import/${kind}`, body })
  const csv =
    (kind: string) =>
    (data: string, query: CsvImport, options?: CallOptions): Promise<BulkImportResult> => {
      const content = { type: 'text/csv', data }
      return http.json({ ...options, method: 'POST', path: `${building}/import/${kind}`, query, content })
    }
  return {
    ...read,
    spaces: bulk('spaces'),
    spacesCsv: csv('spaces'),
    elements: bulk('elements'),
    elementsCsv: csv('elements'),
    points: bulk('points'),
    pointsCsv: csv('points'),
    ifc: (data, query, options) => {
      const content = { type: 'application/x-step', data }
      return http.json({ ...options, method: 'POST', path: `${building}/import/ifc`, query, content })
    },
    async untilDone(importId, { everySeconds = 1, ...options } = {}) {
      for (;;) {
        const record = await read.get(importId, options)
        if (record.status !== 'queued' && record.status !== 'running') return record
        await sleep(everySeconds * 1000, options.signal)
      }
    },
    leftOut: (importId) => listApi(http, all + path`/${importId}/left-out`, 1000),
  }
}
