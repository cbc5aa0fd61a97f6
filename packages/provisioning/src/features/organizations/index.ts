export { createOrganizations, type Organizations } from './organizations.ts'
