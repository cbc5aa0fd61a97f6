import { revisionSummaries } from '@storey/contract'
import type { ImportSummary, RevisionRecord } from '@storey/sdk'

/** An import of a model or of a table. Imports of tables are found in the history, by the summary of their revision. */
export type PastImport = {
  key: string
  at: string
  actor: string
  /** The path of the page of the import or, for a table, of its revision in the history. */
  to: string
  created: number
  updated: number
  removed: number
} & (
  | { kind: 'model'; record: ImportSummary }
  | { kind: 'table'; list: 'storeys' | 'spaces' | 'elements' | 'points'; system: string }
)

/** Imports of models and of tables, the newest first. */
export function pastImports(models: readonly ImportSummary[], revisions: readonly RevisionRecord[]): PastImport[] {
  const all = [...models.map(ofModel), ...revisions.flatMap(ofRevision)]
  return all.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
}

function ofModel(record: ImportSummary): PastImport {
  const counts = Object.values(record.counts ?? {})
  const sum = (field: 'created' | 'updated' | 'removed') => counts.reduce((total, count) => total + count[field], 0)
  return {
    kind: 'model',
    record,
    key: record.importId,
    at: record.createdAt,
    actor: record.actor,
    to: `/imports/${record.importId}`,
    created: sum('created'),
    updated: sum('updated'),
    removed: sum('removed'),
  }
}

function ofRevision({ revision, at, actor, summary }: RevisionRecord): PastImport[] {
  const read = revisionSummaries.read(summary)
  if (read?.form !== 'imported') return []
  const { list, system, created, updated } = read.parts
  return [
    {
      kind: 'table',
      list: list as 'spaces' | 'elements' | 'points',
      system,
      key: `revision ${revision}`,
      at,
      actor,
      to: `/history?at=${revision}`,
      created: Number(created),
      updated: Number(updated),
      removed: 0,
    },
  ]
}
