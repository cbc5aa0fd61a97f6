export interface InstallOptions {
  sandbox?: string
  remoteEntry: string
}
