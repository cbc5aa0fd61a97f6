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
 * Which rows of a list.
 *
 * @stable
 */
export interface PageQuery {
  /** Rows per page. */
  limit?: number
  /** Rows to skip. */
  offset?: number
}

/** The smallest cap that a deployment may have. */
const LEAST_CAP = 100

/**
 * Every row of a list, page by page. Where the deployment has a lower cap than `limit`, pages of 100 are asked for.
 * A row that moves while the list is read, because others come or go, may be left out or come twice.
 */
export async function* allPages<T>(
  read: (page: { limit: number; offset: number }) => Promise<List<T>>,
  { limit = 200, offset = 0 }: PageQuery = {},
): AsyncGenerator<T, void, undefined> {
  let size = limit
  for (let next = offset; ; ) {
    const page = await read({ limit: size, offset: next }).catch((error) => {
      if (!isTooLarge(error) || size <= LEAST_CAP) throw error
      size = LEAST_CAP
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
