import { problems } from '@storey/contract'
import { isRevisionText, isUuid } from '../../graph/index.ts'

/**
 * A name must not look like a revision or an instant, because a graph is read by a name, a revision or an instant. It
 * must not look like an id, because a snapshot is read by its id or its name.
 */
export function checkSnapshotName(name: string): void {
  if (!isRevisionText(name) && !isUuid(name)) return
  throw problems.field('name', 'name looks like a revision, an instant or an id: choose another one')
}
