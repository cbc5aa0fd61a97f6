import { wrongUsage } from '../../errors.ts'

type Page = Record<string, unknown> & { data: unknown[] }

const PAGE_ROWS = '200'

/** All rows of a list in one envelope. Lists are paged by offset, by page number, by time or by the id of the last row. */
export async function allPages(first: URL, read: (url: URL) => Promise<unknown>): Promise<unknown> {
  const url = new URL(first)
  const page = asPage(await readFirst(url, read))
  const data = [...page.data]
  const start = typeof page.offset === 'number' ? page.offset : 0
  for (let last = page; last.data.length > 0; ) {
    const next = nextOf(last, start + data.length)
    if (next === undefined) break
    url.searchParams.set(...next)
    last = asPage(await read(url))
    data.push(...last.data)
  }
  for (const cursor of ['nextFrom', 'nextBefore']) if (cursor in page) return { ...page, data, [cursor]: null }
  const { page: _, ...rest } = page
  return { ...rest, data, total: data.length, limit: data.length, ...('offset' in page ? { offset: start } : {}) }
}

/** The parameter that leads to the next page; undefined after the last one. */
function nextOf(last: Page, reached: number): [string, string] | undefined {
  const { nextFrom, nextBefore, page, limit, total } = last
  if (typeof nextFrom === 'string') return ['from', nextFrom]
  if (typeof nextBefore === 'number') return ['before', String(nextBefore)]
  if (typeof total !== 'number') return undefined
  if (typeof page === 'number') return page * Number(limit) < total ? ['page', String(page + 1)] : undefined
  return reached < total ? ['offset', String(reached)] : undefined
}

/** Reads the first page. If the URL has no limit, adds a large one; after a 400, repeats the request without one. */
async function readFirst(url: URL, read: (url: URL) => Promise<unknown>): Promise<unknown> {
  if (url.searchParams.has('limit')) return await read(url)
  const larger = new URL(url)
  larger.searchParams.set('limit', PAGE_ROWS)
  try {
    const answer = await read(larger)
    url.searchParams.set('limit', PAGE_ROWS)
    return answer
  } catch (error) {
    if ((error as { status?: unknown }).status !== 400) throw error
    return await read(url)
  }
}

function asPage(answer: unknown): Page {
  const { data } = (answer ?? {}) as { data?: unknown }
  if (Array.isArray(data)) return answer as Page
  throw wrongUsage('--all works only for lists, and this response is not a list.', 'Omit --all.')
}
