import { serveBuild } from './serve-build.mjs'

await serveBuild('serve:remote')
