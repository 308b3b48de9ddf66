-- The private part of a signing key is encrypted like other secrets, in a column of its own. The rename is deliberate:
-- nodes of the version before can't read the keys from now on, and keep those that they know until they are replaced.
alter table signing_keys rename column private_jwk to jwk;
alter table signing_keys add column sealed_private_part bytea;
alter table signing_keys add constraint signing_keys_sealed check (sealed_private_part is null or not jwk ? 'd');
