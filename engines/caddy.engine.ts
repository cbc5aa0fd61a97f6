import { caddy } from './proxies/caddy.ts'
import { runProxySuite } from './proxies/run-proxy-suite.ts'

await runProxySuite(caddy)
