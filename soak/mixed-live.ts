import type { MixedPart, MixedSoak } from './mixed-part.ts'
import { openPage, type Page } from './open-page.ts'

const PAGES = 4

/** People who have pages of the console open, and open another one from time to time. */
export async function openLive({ connection, fail }: MixedSoak): Promise<MixedPart> {
  const { apiUrl, token, buildingId } = connection
  const open = (after?: number) => openPage({ apiUrl, token, buildingId, after, fail })
  const pages: Page[] = []
  for (let i = 0; i < PAGES; i++) pages.push(await open())
  let receivedByClosed = 0

  async function replacePage(): Promise<void> {
    const old = pages.shift()!
    old.close()
    receivedByClosed += old.received().events
    pages.push(await open(old.last()))
  }

  /** What the pages had received at the last check. */
  let before = new Map<Page, ReturnType<Page['received']>>()
  async function checkPages(): Promise<void> {
    const earlier = before
    before = new Map(pages.map((page) => [page, page.received()]))
    for (const [page, { events, notices }] of before) {
      if (!page.isConnected()) throw new Error('a page lost its connection to the live channel')
      if (events === earlier.get(page)?.events) throw new Error('a page has received no event since the last check')
      if (notices === earlier.get(page)?.notices)
        throw new Error('a page has received no notice of a change since the last check')
    }
  }

  const received = () => pages.reduce((sum, page) => sum + page.received().events, receivedByClosed)
  return {
    tasks: [
      { what: 'pages that were closed and opened', everyMs: 25_000, work: replacePage },
      { what: 'checks of the open pages', everyMs: 30_000, work: checkPages },
    ],
    counted: () => `${received()} events of the live channel`,
    close() {
      for (const page of pages) page.close()
    },
  }
}
