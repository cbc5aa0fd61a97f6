import { join, relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'
import { SERVICE_ENTRIES, SERVICE_PACKAGE, SERVICE_PLACE, SERVICE_SOURCES } from './built-service.mjs'
import type { Build } from './if-changed.ts'
import { programBuild } from './program.ts'

/** The service and the operator commands. They start in a third of the time that their sources take. */
export const serviceProgramBuild = (): Build =>
  programBuild({
    name: 'service',
    package: SERVICE_PACKAGE,
    place: SERVICE_PLACE,
    sources: SERVICE_SOURCES,
    entries: SERVICE_ENTRIES,
    // `pg-native` is optional and not installed.
    external: ['pg-native'],
    plugins: [sourceUrls, withoutRuntimeWarning],
  })

/** Built files are in folders as deep as this one. */
const ANY_BUILD = resolve('packages', SERVICE_PACKAGE, 'dist', 'build', SERVICE_PLACE)

/** Bundled code finds files, such as migrations and built pages, from the place of its sources. */
const sourceUrls: Plugin = {
  name: 'source-urls',
  transform: (code, id) =>
    code.includes('import.meta.url') && id.startsWith(resolve('packages'))
      ? code.replaceAll('import.meta.url', `new URL(${JSON.stringify(urlPath(id))}, import.meta.url).href`)
      : undefined,
}

const urlPath = (file: string): string => relative(ANY_BUILD, file).replaceAll('\\', '/')

/** As `load-provider.ts` in the package of the identity provider does for its sources. */
const withoutRuntimeWarning: Plugin = {
  name: 'without-runtime-warning',
  transform: (code, id) =>
    id.endsWith(join('oidc-provider', 'lib', 'index.js'))
      ? code.replace(/attention\.warn\('Unsupported runtime[^']*'\);?/, '')
      : undefined,
}
