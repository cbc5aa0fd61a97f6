import { PERMISSIONS, problems } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { createHttp, type HttpApp, type HttpOptions } from '@storey/kit/http'
import type { Log } from '@storey/kit/log'
import { buildingRoutes } from '../../features/buildings/buildings.routes.ts'
import { catalogRoutes } from '../../features/catalogs/catalogs.routes.ts'
import { elementRoutes } from '../../features/elements/elements.routes.ts'
import { pointRoutes } from '../../features/points/points.routes.ts'
import { spaceRoutes } from '../../features/spaces/spaces.routes.ts'
import { storeyRoutes } from '../../features/storeys/storeys.routes.ts'

export interface PlatformHttpOptions {
  db: Database
  log: Log
  authorize: HttpOptions['authorize']
  spacesPageCap: number
}

/** The platform API: what is the same on every host comes from the kit, the routes from the features. */
export async function createPlatformHttp({ db, log, authorize, spacesPageCap }: PlatformHttpOptions): Promise<HttpApp> {
  const app = await createHttp({
    title: 'Storey platform API',
    description: 'The building graph of one sandbox: buildings, storeys, spaces, elements and points.',
    log,
    authorize,
    checkReady: () => checkDatabase(db, log),
    trustRequestId: true,
  })
  app.addHook('onRoute', ({ method, url, config }) => {
    const access = config?.access ?? ''
    if (access === 'public' || Object.hasOwn(PERMISSIONS, access)) return
    throw new Error(`${method} ${url} asks for ${access}, which is no permission: name one of PERMISSIONS`)
  })
  buildingRoutes(app, db)
  storeyRoutes(app, db)
  spaceRoutes(app, db, spacesPageCap)
  elementRoutes(app, db)
  pointRoutes(app, db)
  catalogRoutes(app)
  return app
}

async function checkDatabase(db: Database, log: Log): Promise<void> {
  try {
    await db.ping()
  } catch (err) {
    log.warn({ err }, 'the database does not answer')
    throw problems.notReady('The database does not answer', 1)
  }
}
