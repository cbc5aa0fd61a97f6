export { createPeopleHttp, type PeopleHttp } from './people-http.ts'
