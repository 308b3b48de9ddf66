#!/bin/bash
# Runs once, when the database is made: the roles of docs/operators/running.md#first-steps-in-production.
set -euo pipefail
psql -v ON_ERROR_STOP=1 -U postgres -v owner="$OWNER_PASSWORD" -v server="$SERVER_PASSWORD" <<'SQL'
create role assent_owner login password :'owner';
create role assent_server login password :'server';
create role assent_app nologin;
grant assent_app to assent_owner, assent_server;
create database assent owner assent_owner encoding 'UTF8' template template0;
SQL
