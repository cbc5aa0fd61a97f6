import { problems } from '@storey/contract'
import { isRevisionText, isUuid } from '../../graph/index.ts'

/** A name must not look like a revision, an instant or an id, since all of them are used to read the graph. */
export function checkSnapshotName(name: string): void {
  if (!isRevisionText(name) && !isUuid(name)) return
  throw problems.field('name', 'name looks like a revision, an instant or an id: choose another one')
}
