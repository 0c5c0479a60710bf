import { databaseReplays, toFind } from '../database-samples.ts';

databaseReplays('mysql', 'HNKyLfSxMfrjeAy571xNg', { preparations: { 'mysql.search/ok': toFind('mysql', 'finder') } });
