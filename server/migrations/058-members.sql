-- A check for each member was a tenth of an import. No role of the program can delete an advisor, and both statements that add
-- members look the advisor up first (store/texting/members.ts and firm-numbers.ts), so one look is enough for all of them.
alter table members drop constraint members_advisor_id_fkey;
