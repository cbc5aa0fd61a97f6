export interface CreateOptions {
  name?: string
  dir?: string
  buildingTypes?: string
  install: boolean
}
