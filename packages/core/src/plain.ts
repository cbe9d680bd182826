/** What needs no other package, so that a program can load it at its start. */
export { keyRoles, permissions } from './access/permissions.ts'
export { parseRate, rateForm } from './access/rate.ts'
export { isExactNumber } from './domain/exact-number.ts'
export * as limits from './domain/limits.ts'
export { type CamelCase, type SnakeCase, toCamelCase, toSnakeCase } from './domain/names.ts'
