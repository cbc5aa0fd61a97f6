import { nginx } from './proxies/nginx.ts'
import { runProxySuite } from './proxies/run-proxy-suite.ts'

await runProxySuite(nginx)
