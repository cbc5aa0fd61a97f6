import { NoQuery, Settings, SettingsPatch } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { digestVersion, type HttpApp } from '@storey/kit/http'
import { ownBuildings } from '../../bus/index.ts'
import { callerOf, checkWholeScope } from '../../caller.ts'
import { lockSettings, readSettings, writeSettings } from '../../settings.store.ts'

const tags = ['Settings']
const PATH = '/api/v1/settings'
const RECORD = { record: { version: (settings: Settings) => digestVersion(settings) } }
const response = { 200: { $ref: 'Settings#' } }

export function settingsRoutes(app: HttpApp, db: Database, onChange: () => void): void {
  app.addSchema(Settings)
  app.get(
    PATH,
    {
      config: { access: 'building.graph:read', ...RECORD },
      schema: {
        tags,
        summary: 'Read the settings of the sandbox',
        description: 'Returns the settings of the sandbox, such as how long observations are kept.',
        querystring: NoQuery,
        response,
      },
    },
    () => readSettings(db),
  )
  app.patch(
    PATH,
    {
      // Allowed even if the storage quota is used up, since a shorter retention frees storage.
      config: { access: 'building.graph:write', ...RECORD, grows: false },
      schema: {
        tags,
        summary: 'Change settings of the sandbox',
        description: 'Changes the settings that the body names, and returns all settings.',
        querystring: NoQuery,
        body: SettingsPatch,
        response,
      },
    },
    async (request) => {
      checkWholeScope(callerOf(request), await ownBuildings(db))
      const written = await db.transaction(async (tx) => {
        request.precondition.check(digestVersion(await lockSettings(tx)))
        await writeSettings(tx, request.body)
        return await readSettings(tx)
      })
      onChange()
      return written
    },
  )
}
