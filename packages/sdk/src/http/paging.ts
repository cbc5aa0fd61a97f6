import { StoreyError } from '../errors.ts'

/**
 * A page of a list.
 *
 * @stable
 */
export interface List<T> {
  data: T[]
  total: number
  limit: number
  offset: number
}

/**
 * Which rows of a list to read.
 *
 * @stable
 */
export interface PageQuery {
  /** Rows per page. */
  limit?: number
  /** Rows to skip. */
  offset?: number
}

/** The page size after a refusal. If the deployment refuses this size too, the error is thrown. */
const MIN_PAGE = 100

/**
 * Every row of a list, page by page. If the deployment refuses `limit` as too large, pages of 100 are requested. If
 * rows are added or removed while the list is read, a row may be missed or returned twice.
 */
export async function* allPages<T>(
  read: (page: { limit: number; offset: number }) => Promise<List<T>>,
  { limit = 200, offset = 0 }: PageQuery = {},
): AsyncGenerator<T, void, undefined> {
  let size = limit
  for (let next = offset; ; ) {
    const page = await read({ limit: size, offset: next }).catch((error) => {
      if (!isTooLarge(error) || size <= MIN_PAGE) throw error
      size = MIN_PAGE
      return undefined
    })
    if (!page) continue
    yield* page.data
    next += page.data.length
    // A list without a total has no further page.
    if (page.data.length === 0 || !(next < page.total)) return
  }
}

const isTooLarge = (error: unknown): boolean => error instanceof StoreyError && error.code === 'LIMIT_TOO_LARGE'
