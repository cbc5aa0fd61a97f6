import { haproxy } from './proxies/haproxy.ts'
import { runProxySuite } from './proxies/run-proxy-suite.ts'

await runProxySuite(haproxy)
