/** The command that registers a module. It must be run in the folder of the module. */
export const installCommand = (sandbox: string): string => `svc sandbox install manifest.json --sandbox=${sandbox}`
