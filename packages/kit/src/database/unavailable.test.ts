import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { isDenied, isUnavailable, unavailableCode } from './unavailable.ts'

const failed = (code: string) => Object.assign(new pg.DatabaseError('failed', 1, 'error'), { code })

describe('an error of the database', () => {
  it.each([
    ...['53100', '53200', '53300', '53400', '53000', '25006', '25P03', '58030', '58000', 'XX000', 'XX001', '57014'],
    ...['57P01', '57P02', '57P03', '57P05', '08006', '08001', '08P01', '40001', '40P01', '55P03', '55006', '28P01'],
    ...['3D000', 'HV000', 'ZZ999'],
  ])('[ERR-24] %s is temporary: it is about the server, not the statement', (code) => {
    expect(unavailableCode(failed(code))).toBe(code)
    expect(isUnavailable(new Error('wrapped', { cause: failed(code) }))).toBe(true)
  })

  it.each(['23505', '23503', '22P02', '22021', '42P01', '42601', '54000', '25P02', 'P0001', '0A000', '21000'])(
    '[ERR-24] %s is permanent: the same statement would fail again',
    (code) => expect(isUnavailable(failed(code))).toBe(false),
  )

  /** PostgreSQL reports 42501 if the system denies it access to a file, and also if the role lacks a right. */
  const denied = (message: string, file: string) => Object.assign(failed('42501'), { message, file })

  it.each([
    ['could not open file "base/5/2601": Read-only file system', 'md.c'],
    ['could not create directory "base/16999": Read-only file system', 'dbcommands.c'],
    ['could not open file "base/5/2601": Permission denied', 'md.c'],
    ['konnte Datei »base/5/2601« nicht öffnen: Das Dateisystem ist nur lesbar', 'md.c'],
  ])('[ERR-24] is temporary if PostgreSQL is denied access to a file: %s', (message, file) => {
    expect(unavailableCode(denied(message, file))).toBe('42501')
    expect(isDenied(denied(message, file))).toBe(false)
  })

  it.each([
    ['permission denied to create role', 'user.c'],
    ['permission denied to create database', 'dbcommands.c'],
    ['permission denied for table sandboxes', 'aclchk.c'],
    ['must be owner of database other', 'aclchk.c'],
  ])('[ERR-24] is temporary if the role lacks a right: %s', (message, file) => {
    expect(unavailableCode(denied(message, file))).toBe('42501')
    expect(isDenied(denied(message, file))).toBe(true)
    expect(isDenied(new Error('wrapped', { cause: denied(message, file) }))).toBe(true)
    expect(isDenied(failed('42P01'))).toBe(false)
  })

  it('[ERR-24] is temporary if the server is unreachable or the disk is full', () => {
    for (const code of ['ECONNREFUSED', 'EAI_AGAIN', 'ENOSPC', 'EROFS', 'EIO', 'EMFILE']) {
      expect(unavailableCode(Object.assign(new Error('x'), { code }))).toBe(code)
    }
    expect(isUnavailable(new Error('Connection terminated unexpectedly'))).toBe(true)
    expect(isUnavailable(new Error('timeout exceeded when trying to connect'))).toBe(true)
    expect(isUnavailable(new Error('Client was closed and is not queryable'))).toBe(true)
    for (const code of ['ENOENT', 'EPERM', 'EACCES', 'EBADF', 'ERR_INVALID_ARG_TYPE', 'EFBIG', 'E2BIG']) {
      expect(isUnavailable(Object.assign(new Error('x'), { code }))).toBe(false)
    }
    expect(isUnavailable(new TypeError('x is not a function'))).toBe(false)
    expect(isUnavailable(undefined)).toBe(false)
  })
})
