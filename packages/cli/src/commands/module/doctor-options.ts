export interface DoctorOptions {
  dir?: string
  remoteEntry?: string
  sandbox?: string
}
