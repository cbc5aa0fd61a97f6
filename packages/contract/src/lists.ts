import Type, { type TSchema } from 'typebox'
import { LIMITS } from './limits.ts'
import { problems } from './problems.ts'

/** The envelope of a list that is read with `limit` and `offset`. */
export function ListOf<T extends TSchema>(item: T) {
  return Type.Object({
    data: Type.Array(item),
    total: Type.Integer({ minimum: 0 }),
    limit: Type.Integer(),
    offset: Type.Integer(),
  })
}

/**
 * The default and the maximum of `limit`. The maximum of the list of spaces is the setting SPACES_PAGE_CAP, by default
 * `LIMITS.graphPageMax`.
 */
export interface PageCaps {
  default: number
  max: number
}

/** If `limit` is above `max` and the query has no other error, the validation throws the problem LIMIT_TOO_LARGE. */
export const pageLimit = ({ default: defaultLimit, max }: PageCaps) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: max, default: Math.min(defaultLimit, max), description: 'Rows per page' }),
  )

export const pageQuery = (max: number) => ({
  limit: pageLimit({ default: LIMITS.page.default, max }),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999_999, description: 'Rows to skip' })),
})
export const PageQuery = pageQuery(LIMITS.page.max)

export interface Page {
  limit: number
  offset: number
}

export function pageOf(query: Partial<Page>, caps: PageCaps = LIMITS.page): Page {
  const limit = query.limit ?? Math.min(caps.default, caps.max)
  if (limit > caps.max) throw problems.limitTooLarge(limit, caps.max)
  return { limit, offset: query.offset ?? 0 }
}

export interface List<T> extends Page {
  data: T[]
  total: number
}

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
