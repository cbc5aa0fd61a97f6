import type { CommentRecord, PlatformClient } from '@storey/sdk'
import { readAll } from '@storey/web'

/** All comments of a request, from all pages, oldest first. */
export const readComments = (
  { requests }: Pick<PlatformClient, 'requests'>,
  requestId: string,
  signal: AbortSignal,
): Promise<CommentRecord[]> => readAll(requests.comments(requestId).listAll({}, { signal }))
