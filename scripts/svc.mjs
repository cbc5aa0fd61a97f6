// The command-line tool of this clone, from any folder: node <clone>/scripts/svc.mjs <command>
// It does not use npm, which would pass its own settings to the npm that `svc module create` starts.
process.env.SVC_CALLER_FOLDER = process.cwd()
process.argv.splice(2, 0, 'packages/cli/src/main.ts')
await import('./run.mjs')
