import type { SandboxConnection } from '@storey/sdk'

export interface SnippetParts {
  sandboxId: string
  /** The main address of the service, where its provisioning API is. */
  serviceUrl: string
  connection: SandboxConnection
}

/** Code for each way to connect. Only `environment` contains the token. */
export interface Snippets {
  cli: string
  environment: string
  curl: string
  /** Uses the URL of the sandbox below the main address, for programs that cannot resolve the sandbox's host name. */
  path: string | undefined
  sdk: string
  mqtt: string | undefined
}

export function snippetsOf({ sandboxId, serviceUrl, connection }: SnippetParts): Snippets {
  const { apiUrl, pathUrl, token, buildingId, organizationId, consoleUrl, mqtt } = connection
  return {
    cli: `export SVC_SANDBOX_API_URL=${serviceUrl}
svc login
eval "$(svc sandbox connect ${sandboxId})"`,
    environment: Object.entries({
      SVC_API_URL: apiUrl,
      SVC_API_TOKEN: token,
      SVC_SANDBOX_API_URL: serviceUrl,
      SVC_BUILDING_ID: buildingId,
      SVC_ORGANIZATION_ID: organizationId,
      SVC_CONSOLE_URL: consoleUrl ?? '',
    })
      .map(([name, value]) => `export ${name}=${value}`)
      .join('\n'),
    path: pathUrl === null ? undefined : `curl "${pathUrl}/api/v1/buildings" -H "Authorization: Bearer $SVC_API_TOKEN"`,
    curl: `curl "$SVC_API_URL/api/v1/buildings/$SVC_BUILDING_ID/telemetry/latest" \\
  -H "Authorization: Bearer $SVC_API_TOKEN"`,
    sdk: `import { env } from 'node:process'
import { bearer, createPlatformClient } from '@storey/sdk'

const platform = createPlatformClient({
  url: env.SVC_API_URL!, // ${apiUrl}
  credential: bearer(env.SVC_API_TOKEN!),
})
const building = platform.building('${buildingId}')

for await (const space of building.spaces.listAll()) {
  console.log(space.code, space.name)
}`,
    mqtt: mqtt === null ? undefined : mqttSnippet(mqtt),
  }
}

/** The snippet reads the password from an environment variable. */
function mqttSnippet({ url, username, topic }: NonNullable<SandboxConnection['mqtt']>): string {
  const { protocol, hostname, port } = new URL(url)
  const isTls = protocol === 'mqtts:'
  const address = `-h ${hostname.replace(/^\[|\]$/g, '')} -p ${port || (isTls ? 8883 : 1883)}`
  // On any port but 8883, mosquitto_pub connects without TLS unless it has an option for certificates.
  const tls = isTls ? ' --tls-use-os-certs' : ''
  const account = username === null ? '' : ` -u ${username} -P "$MQTT_PASSWORD"`
  return `mosquitto_pub ${address}${tls}${account} -q 1 \\
  -t '${topic}' \\
  -m '{"observations": [{"pointId": "<point id>", "value": "21.5"}]}'`
}

/** The alias from the README, to be set in the folder of the repository. */
export const TOOL_ALIAS = `alias svc="node '$PWD/scripts/svc.mjs'"`

/** Packs and installs the SDK, as the README does. `version` is the version of the service and of the SDK. */
export const sdkInstall = (version: string): string =>
  `npm pack -w packages/sdk                            # in the folder of the repository
npm install <clone>/storey-sdk-${version}.tgz           # in the folder of your project`

/** Replaces a secret by dots. */
export const masked = (text: string, secret: string): string => text.replaceAll(secret, '•'.repeat(24))
