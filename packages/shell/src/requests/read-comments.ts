import type { CommentRecord, PlatformClient } from '@storey/sdk'

/** All comments of a request, oldest first, which may be more than one page. */
export async function readComments(
  { requests }: Pick<PlatformClient, 'requests'>,
  requestId: string,
  signal: AbortSignal,
): Promise<CommentRecord[]> {
  const comments: CommentRecord[] = []
  for await (const comment of requests.comments(requestId).listAll({}, { signal })) comments.push(comment)
  return comments
}
