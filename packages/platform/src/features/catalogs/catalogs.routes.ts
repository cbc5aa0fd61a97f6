import { CATALOG_RECORDS, type CatalogName, CatalogQuery, catalogs, ListOf, pageOf } from '@storey/contract'
import type { HttpApp } from '@storey/kit/http'

const config = { access: 'building.graph:read', revalidates: true }
const tags = ['Catalogs']

const DESCRIPTIONS: Record<CatalogName, { summary: string; description: string }> = {
  'building-types': {
    summary: 'List building types',
    description: 'Returns the types with which a sandbox can be created and which a module can support.',
  },
  'space-types': {
    summary: 'List space types with their Brick classes',
    description: 'Returns the types that a space can have.',
  },
  'element-types': {
    summary: 'List element types with their IFC and Brick classes',
    description: 'Returns the types that an element can have.',
  },
  'quantity-kinds': {
    summary: 'List QUDT quantity kinds with their units',
    description: 'Returns the quantity kinds that a point can have.',
  },
  units: { summary: 'List QUDT units', description: 'Returns the units that a point can have.' },
  'request-categories': {
    summary: 'List categories of service requests',
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
      { config, schema: { tags, ...DESCRIPTIONS[name], querystring: CatalogQuery, response } },
      async (request, reply) => {
        // The catalogs change only with the version of the platform, so browsers may cache them.
        reply.header('cache-control', 'private, max-age=3600')
        const page = pageOf(request.query)
        return { data: entries.slice(page.offset, page.offset + page.limit), total: entries.length, ...page }
      },
    )
  }
}
