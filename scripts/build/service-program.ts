import { join, relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'
import { SERVICE_ENTRIES, SERVICE_PACKAGE, SERVICE_PLACE, SERVICE_SOURCES } from './built-service.mjs'
import type { Build } from './if-changed.ts'
import { programBuild } from './program.ts'

/** The service and the operator commands. A bundle starts faster than the sources (ADR 36 has the times). */
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

/** An example of a build's folder. All builds are equally deep, so a path relative to it is valid in every build. */
const ANY_BUILD = resolve('packages', SERVICE_PACKAGE, 'dist', 'build', SERVICE_PLACE)

/** Replaces `import.meta.url` by the URL of the source file: from there the code finds migrations and built pages. */
const sourceUrls: Plugin = {
  name: 'source-urls',
  transform: (code, id) =>
    code.includes('import.meta.url') && id.startsWith(resolve('packages'))
      ? code.replaceAll('import.meta.url', `new URL(${JSON.stringify(urlPath(id))}, import.meta.url).href`)
      : undefined,
}

const urlPath = (file: string): string => relative(ANY_BUILD, file).replaceAll('\\', '/')

/** Removes the warning that `load-provider.ts` suppresses when the service runs from its sources. */
const withoutRuntimeWarning: Plugin = {
  name: 'without-runtime-warning',
  transform: (code, id) =>
    id.endsWith(join('oidc-provider', 'lib', 'index.js'))
      ? code.replace(/attention\.warn\('Unsupported runtime[^']*'\);?/, '')
      : undefined,
}
