import { databaseReplays, toFind } from '../database-samples.ts';

const coerced = 'the platform turns a null into false; the contract has a boolean, and the emulator refuses null';

databaseReplays('mongo', 'rno2NFOyzWY4GBJNFXswS', {
  preparations: { 'mongo.search/ok': toFind('mongo', 'finder') },
  differences: { 'mongo.update/replicaSets null': coerced },
});
