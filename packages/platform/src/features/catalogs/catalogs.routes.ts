import { CATALOG_RECORDS, type CatalogName, CatalogQuery, catalogs, ListOf, pageOf } from '@storey/contract'
import type { HttpApp } from '@storey/kit/http'

const config = { access: 'building.graph:read', revalidates: true }
const tags = ['Catalogs']

const WORDS: Record<CatalogName, { summary: string; description: string }> = {
  'building-types': {
    summary: 'Types of building',
    description: 'Returns the types that a sandbox can be created with and that a module can name.',
  },
  'space-types': {
    summary: 'Types of space, with their Brick classes',
    description: 'Returns the slugs that a space takes as its type.',
  },
  'element-types': {
    summary: 'Types of element, with their IFC and Brick classes',
    description: 'Returns the slugs that an element takes as its type.',
  },
  'quantity-kinds': {
    summary: 'QUDT quantity kinds, with the units each may be given in',
    description: 'Returns the quantity kinds that a point can measure.',
  },
  units: { summary: 'QUDT units', description: 'Returns the units that a point can be given in.' },
  'request-categories': {
    summary: 'Categories of service request',
    description: 'Returns the categories that a service request can have.',
  },
}

/** The catalogs are the same for every tenant, so they come from the contract and not from a table. */
export function catalogRoutes(app: HttpApp): void {
  for (const name of Object.keys(catalogs) as CatalogName[]) {
    const entries: readonly unknown[] = catalogs[name]
    const response = { 200: ListOf(CATALOG_RECORDS[name]) }
    app.get(
      `/api/v1/catalogs/${name}`,
      { config, schema: { tags, ...WORDS[name], querystring: CatalogQuery, response } },
      async (request, reply) => {
        // The same until another version of the platform: a page that is loaded again need not ask again.
        reply.header('cache-control', 'private, max-age=3600')
        const page = pageOf(request.query)
        return { data: entries.slice(page.offset, page.offset + page.limit), total: entries.length, ...page }
      },
    )
  }
}
