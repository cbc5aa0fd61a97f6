import { CATALOG_RECORDS, type CatalogName, CatalogQuery, catalogs, ListOf, pageOf } from '@storey/contract'
import type { HttpApp } from '@storey/kit/http'

const config = { access: 'building.graph:read' }
const tags = ['Catalogs']

const SUMMARIES: Record<CatalogName, string> = {
  'building-types': 'Types of building',
  'space-types': 'Types of space, with their Brick classes',
  'element-types': 'Types of element, with their IFC and Brick classes',
  'quantity-kinds': 'QUDT quantity kinds, with the units each may be given in',
  units: 'QUDT units',
  'request-categories': 'Categories of service request',
}

/** The catalogs are the same for every tenant, so they come from the contract and not from a table. */
export function catalogRoutes(app: HttpApp): void {
  for (const name of Object.keys(catalogs) as CatalogName[]) {
    const entries: readonly unknown[] = catalogs[name]
    const response = { 200: ListOf(CATALOG_RECORDS[name]) }
    app.get(
      `/api/v1/catalogs/${name}`,
      { config, schema: { tags, summary: SUMMARIES[name], querystring: CatalogQuery, response } },
      async (request, reply) => {
        // The same until another version of the platform: a page that is loaded again need not ask again.
        reply.header('cache-control', 'private, max-age=3600')
        const page = pageOf(request.query)
        return { data: entries.slice(page.offset, page.offset + page.limit), total: entries.length, ...page }
      },
    )
  }
}
