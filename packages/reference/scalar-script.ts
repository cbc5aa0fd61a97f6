import scalar from '@scalar/fastify-api-reference'
import fastify from 'fastify'
import type { Plugin } from 'vite'

const ID = '#scalar-url'

/**
 * Adds Scalar's script to the build. A module imports the address of the script from `#scalar-url`. The script is
 * taken from the integration for Fastify, which contains all of it, because the package that publishes the script
 * installs 240 more packages.
 */
export function scalarScript(): Plugin {
  return {
    name: 'scalar-script',
    apply: 'build',
    resolveId: (id) => (id === ID ? `\0${ID}` : null),
    async load(id) {
      if (id !== `\0${ID}`) return null
      const reference = this.emitFile({ type: 'asset', name: 'scalar.js', source: await readScript() })
      return `export default import.meta.ROLLUP_FILE_URL_${reference}`
    },
  }
}

async function readScript(): Promise<string> {
  const app = fastify()
  await app.register(scalar, { routePrefix: '/reference', configuration: { content: {} } })
  const { statusCode, body } = await app.inject('/reference/js/scalar.js')
  await app.close()
  if (statusCode !== 200) throw new Error(`the script of the API reference could not be read: ${statusCode}`)
  return body
}
